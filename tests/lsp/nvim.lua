-- Neovim without a window: findings arrive, a definition is gone to, a word is completed, a slip is mended, a state is renamed.

local function fail(what)
  io.stdout:write('language server: Neovim: ' .. what .. '\n')
  vim.cmd('cquit 1')
end

local function eventually(what, holds)
  if not vim.wait(20000, holds, 50) then fail('never: ' .. what) end
end

local config = {
  name = 'fsmsim',
  cmd = { vim.env.FSMSIM, 'lsp' },
  root_dir = vim.fn.getcwd(),
  workspace_folders = { { uri = vim.uri_from_fname(vim.fn.getcwd()), name = 'tea' } },
}

local buffer = vim.api.nvim_get_current_buf()
local id
if vim.lsp.start then
  id = vim.lsp.start(config)
else
  -- Before 0.8 the two steps of it are taken one by one.
  id = vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(buffer, id)
end
local client
eventually('the server is ready', function()
  client = vim.lsp.get_client_by_id(id)
  return client ~= nil and (client.initialized == nil or client.initialized)
end)
eventually('the server takes documents', function() return client.server_capabilities ~= nil end)

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000)
  local answer = answers and answers[id]
  if not answer then fail('no answer to ' .. method) end
  if answer.error then fail(method .. ': ' .. answer.error.message) end
  return answer.result
end

local function go_to(text, inside)
  vim.fn.cursor(1, 1)
  if vim.fn.search('\\V' .. text, 'c') == 0 then fail('no `' .. text .. '`') end
  vim.fn.cursor(vim.fn.line('.'), vim.fn.col('.') + inside)
end

local function here() return vim.lsp.util.make_position_params(0, client.offset_encoding) end

-- A slip is told as soon as it is typed, and mended as the server offers.
vim.cmd([[%s/then: brew/then: brw/]])
eventually('a finding', function() return #vim.diagnostic.get(buffer) == 1 end)
local finding = vim.diagnostic.get(buffer)[1]
if finding.code ~= 'FS0101' then fail('another finding: ' .. vim.inspect(finding)) end
go_to('then: brw', 6)
local range = here()
local actions = ask('textDocument/codeAction', {
  textDocument = range.textDocument,
  range = { start = range.position, ['end'] = range.position },
  context = { diagnostics = {} },
})
if #actions ~= 1 then fail('no quick fix') end
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
eventually('nothing is wrong any more', function() return #vim.diagnostic.get(buffer) == 0 end)

-- A definition.
go_to('then: brew', 6)
local found = ask('textDocument/definition', here())
vim.lsp.util.jump_to_location(found[1], client.offset_encoding)
if vim.fn.getline('.') ~= '  brew:' then fail('the definition is not ' .. vim.fn.getline('.')) end

-- What is told of it.
local hover = ask('textDocument/hover', here())
if not hover.contents.value:find('mixin `polite`', 1, true) then fail('the hover: ' .. hover.contents.value) end

-- What may stand somewhere.
go_to('extends: gre', 9)
local offered = ask('textDocument/completion', here())
local names = vim.tbl_map(function(item) return item.label end, offered.items)
if not vim.tbl_contains(names, 'parting') then fail('offered: ' .. vim.inspect(names)) end

-- Another name, in all files.
go_to('  brew:', 3)
local rename = here()
rename.newName = 'steep'
vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', rename), client.offset_encoding)
if vim.fn.search('^  steep:$', 'cw') == 0 then fail('the state is not renamed') end
vim.cmd('silent wall')
eventually('nothing is wrong in the end', function() return #vim.diagnostic.get(buffer) == 0 end)

io.stdout:write('language server: Neovim ' .. tostring(vim.version().major) .. '.' .. vim.version().minor .. ' has done all it wanted')
vim.lsp.stop_client(id)
vim.cmd('qall!')

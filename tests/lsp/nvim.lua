-- Headless Neovim: shows findings, fixes a typo, goes to a definition, completes a word and renames a state.

local function fail(what)
  io.stdout:write('language server: Neovim: ' .. what .. '\n')
  vim.cmd('cquit 1')
end

local function eventually(what, holds)
  if not vim.wait(20000, holds, 50) then fail('timeout: ' .. what) end
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
  -- Versions before 0.8 need two calls.
  id = vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(buffer, id)
end
local client
eventually('the server is ready', function()
  client = vim.lsp.get_client_by_id(id)
  return client ~= nil and (client.initialized == nil or client.initialized)
end)
eventually('the server has capabilities', function() return client.server_capabilities ~= nil end)

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

-- A typo is reported immediately, and fixed by the quick fix of the server.
vim.cmd([[%s/then: brew/then: brw/]])
eventually('a finding', function() return #vim.diagnostic.get(buffer) == 1 end)
local finding = vim.diagnostic.get(buffer)[1]
if finding.code ~= 'FS0101' then fail('unexpected finding: ' .. vim.inspect(finding)) end
go_to('then: brw', 6)
local range = here()
local actions = ask('textDocument/codeAction', {
  textDocument = range.textDocument,
  range = { start = range.position, ['end'] = range.position },
  context = { diagnostics = {} },
})
if #actions ~= 1 then fail('no quick fix') end
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
eventually('no finding after the fix', function() return #vim.diagnostic.get(buffer) == 0 end)

-- Definition.
go_to('then: brew', 6)
local found = ask('textDocument/definition', here())
vim.lsp.util.jump_to_location(found[1], client.offset_encoding)
if vim.fn.getline('.') ~= '  brew:' then fail('wrong definition: ' .. vim.fn.getline('.')) end

-- Hover.
local hover = ask('textDocument/hover', here())
if not hover.contents.value:find('mixin `polite`', 1, true) then fail('unexpected hover: ' .. hover.contents.value) end

-- Completion.
go_to('extends: gre', 9)
local offered = ask('textDocument/completion', here())
local names = vim.tbl_map(function(item) return item.label end, offered.items)
if not vim.tbl_contains(names, 'parting') then fail('unexpected completions: ' .. vim.inspect(names)) end

-- Rename in all files.
go_to('  brew:', 3)
local rename = here()
rename.newName = 'steep'
vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', rename), client.offset_encoding)
if vim.fn.search('^  steep:$', 'cw') == 0 then fail('the state is not renamed') end
vim.cmd('silent wall')
eventually('no finding after the rename', function() return #vim.diagnostic.get(buffer) == 0 end)

io.stdout:write('language server: Neovim ' .. tostring(vim.version().major) .. '.' .. vim.version().minor .. ' passes')
vim.lsp.stop_client(id)
vim.cmd('qall!')

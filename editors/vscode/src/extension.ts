// Starts the language server and the studio of the program.

import { commands, type ExtensionContext, window, workspace } from 'vscode';
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

function program(): string {
  return workspace.getConfiguration('fsmsim').get('path', 'fsmsim');
}

async function start(): Promise<void> {
  const server: ServerOptions = { command: program(), args: ['lsp'] };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: 'file', language: 'yaml' },
      { scheme: 'file', language: 'markdown' },
      { scheme: 'file', pattern: '**/*.jsonl' },
      { scheme: 'file', pattern: '**/fsmsim.toml' },
    ],
  };
  client = new LanguageClient('fsmsim', 'fsmsim', server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    window.showErrorMessage(`Cannot start \`${program()} lsp\`: ${error}. Set \`fsmsim.path\` to the program.`);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** Runs the studio in a terminal, which shows its URL. */
function studio(): void {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  const terminal = window.createTerminal({ name: 'fsmsim studio', cwd: folder, shellPath: program(), shellArgs: ['studio'] });
  terminal.show();
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand('fsmsim.restart', async () => {
      await stop();
      await start();
    }),
    commands.registerCommand('fsmsim.studio', studio),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration('fsmsim.path')) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

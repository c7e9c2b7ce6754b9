import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandEnvironment, createShellEnvironment, OperatorCommand } from './command-context.ts'

/** Commands that one module registers. */
export type CommandModule = {
  /** Description by name. */
  commands: Record<string, string>
  /** Loads the module; returns what registers its commands. */
  load(): Promise<(program: OperatorCommand) => void>
}

/** Every command, in the order of the help. */
const MODULES: readonly CommandModule[] = [
  {
    commands: { ledger: 'list movements that Trilho did not order, and correct the ledger' },
    load: async () => (await import('./ledger.ts')).registerLedgerCommands,
  },
  {
    commands: {
      migrate: 'migrate the database schema to this release',
      'check-ledger':
        'check that postings add up to zero, balances equal their postings, and every hold has its operation',
      reconcile:
        'compare the statements of all providers with the ledger, repair what lost notifications caused, list the rest',
      unknown:
        'list the transfers, refunds and returns of unknown outcome, with the attempt and sending that `settle` needs',
      settle:
        'settle a transfer, refund or return of unknown outcome manually; refused if it has changed since',
      charges: 'show and end charges that their providers do not end',
      rebuild:
        'after a database restore: rebuild lost operations from Temporal and the providers; nothing is sent',
    },
    load: async () => (await import('./reconciliation.ts')).registerReconciliationCommands,
  },
  {
    commands: {
      'prepare-temporal': 'create the namespace and its search attributes where they are missing',
      'worker-health':
        'check that the worker at TRILHO_WORKER_PORT of this machine polls Temporal and reaches PostgreSQL',
    },
    load: async () => (await import('./temporal.ts')).registerTemporalCommands,
  },
  {
    commands: {
      pause: 'refuse new operations by 503 `paused`; running operations continue',
      resume: 'end a pause',
      acts: 'list the operator actions and their reasons, the latest first',
    },
    load: async () => (await import('./pauses.ts')).registerPauseCommands,
  },
  {
    commands: { transfer: 'approve or reject a transfer that waits for approvals' },
    load: async () => (await import('./approvals.ts')).registerApprovalCommands,
  },
  {
    commands: { contest: 'list contests of returned money, and record what became of them' },
    load: async () => (await import('./disputes.ts')).registerDisputeCommands,
  },
  {
    commands: { account: 'manage merchant accounts' },
    load: async () => (await import('./accounts.ts')).registerAccountCommands,
  },
  {
    commands: { user: 'manage dashboard users' },
    load: async () => (await import('./users.ts')).registerUserCommands,
  },
  {
    commands: { privacy: 'export or erase the personal data of one person' },
    load: async () => (await import('./privacy.ts')).registerPrivacyCommands,
  },
  {
    commands: { token: 'manage API tokens' },
    load: async () => (await import('./tokens.ts')).registerTokenCommands,
  },
  {
    commands: { connection: 'manage the connections of accounts to providers' },
    load: async () => (await import('./connections.ts')).registerConnectionCommands,
  },
  {
    commands: {
      reseal: 'encrypt every stored secret again with the first key of TRILHO_SECRET_KEY',
      outbox: 'list the auth codes and the links for new passwords that were not sent, newest first',
      answers: 'show unexplained responses of providers',
    },
    load: async () => (await import('./secrets.ts')).registerSecretCommands,
  },
  {
    commands: {
      listen: "forward the account's events, as they happen, to a local receiver as signed deliveries",
    },
    load: async () => (await import('./listen.ts')).registerListenCommand,
  },
]

/**
 * Creates the program `trilho`: administration without the API, by commands that print JSON, one object a line; and what a
 * merchant's developer runs against the API, which prints text. Of a command line's `words`, only the modules of the commands
 * that they name are loaded, and the other commands have no more than a description; without `words`, all modules are.
 * `moreModules` follow the product's own.
 */
export async function createProgram(
  environment: CommandEnvironment = createShellEnvironment(),
  { words, moreModules = [] }: { words?: readonly string[]; moreModules?: readonly CommandModule[] } = {},
): Promise<OperatorCommand> {
  const program = new OperatorCommand(environment, 'trilho')
    .description('Commands of Trilho, a PIX payments engine')
    .version(readVersion())
    .showHelpAfterError()
  const modules = [...MODULES, ...moreModules]
  for (const { commands, load } of modules) {
    const names = Object.keys(commands)
    if (!words || names.some(name => words.includes(name))) (await load())(program)
    else for (const name of names) program.command(name)
  }
  const descriptions = Object.assign({}, ...modules.map(({ commands }) => commands))
  for (const command of program.commands) command.description(descriptions[command.name()] ?? '')
  return program
}

/** Runs the command of this process's command line; a failure is one printed line and exit code 1. */
export async function runProgram(
  environment: CommandEnvironment,
  moreModules: readonly CommandModule[] = [],
): Promise<void> {
  try {
    await (await createProgram(environment, { words: process.argv.slice(2), moreModules })).parseAsync()
  } catch (error) {
    const { classifyDatabaseError } = await import('../db/client/startup-check.ts')
    // A sentence without a stack: it is for operators.
    const failure = classifyDatabaseError(error) ?? error
    environment.print({ error: failure instanceof Error ? failure.message : String(failure) })
    process.exitCode = 1
  }
}

/** Reads the version of the package that this program is part of. */
function readVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version
}

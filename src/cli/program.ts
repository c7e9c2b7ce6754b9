import type { Command } from 'commander'
import { registerAccountCommands } from './accounts.ts'
import { registerChargeCommands } from './charges.ts'
import { type CommandEnvironment, OperatorCommand, shellEnvironment } from './command-context.ts'
import { registerConnectionCommands } from './connections.ts'
import { registerLedgerCommands } from './ledger.ts'
import { registerListenCommand } from './listen.ts'
import { registerOutboxCommands } from './outbox.ts'
import { registerPauseCommands } from './pauses.ts'
import { registerRebuildCommands } from './rebuild.ts'
import { registerReconciliationCommands } from './reconciliation.ts'
import { registerSecretCommands } from './secrets.ts'
import { registerTemporalCommands } from './temporal.ts'
import { registerTokenCommands } from './tokens.ts'
import { registerTriggerCommand } from './trigger.ts'
import { registerUnexplainedAnswerCommands } from './unexplained-answers.ts'
import { registerUserCommands } from './users.ts'

/**
 * Creates the program `trilho`: administration without the API, by commands that print JSON, one object a line; and what a
 * merchant's developer runs against the API, `listen` and `trigger`, which print text.
 */
export function createProgram(environment: CommandEnvironment = shellEnvironment): Command {
  const program = new OperatorCommand(environment, 'trilho')
    .description('Commands of Trilho, a PIX payments engine')
    .showHelpAfterError()
  registerLedgerCommands(program)
  registerReconciliationCommands(program)
  registerChargeCommands(program)
  registerTemporalCommands(program)
  registerPauseCommands(program)
  registerRebuildCommands(program)
  registerAccountCommands(program)
  registerUserCommands(program)
  registerTokenCommands(program)
  registerConnectionCommands(program)
  registerSecretCommands(program)
  registerOutboxCommands(program)
  registerUnexplainedAnswerCommands(program)
  registerListenCommand(program)
  registerTriggerCommand(program)
  return program
}

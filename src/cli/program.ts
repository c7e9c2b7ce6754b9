import type { Command } from 'commander'
import { registerAccountCommands } from './accounts.ts'
import { type CommandEnvironment, OperatorCommand, shellEnvironment } from './command-context.ts'
import { registerConnectionCommands } from './connections.ts'
import { registerLedgerCommands } from './ledger.ts'
import { registerOutboxCommands } from './outbox.ts'
import { registerPauseCommands } from './pauses.ts'
import { registerRebuildCommands } from './rebuild.ts'
import { registerReconciliationCommands } from './reconciliation.ts'
import { registerSecretCommands } from './secrets.ts'
import { registerTemporalCommands } from './temporal.ts'
import { registerTokenCommands } from './tokens.ts'
import { registerUnexplainedAnswerCommands } from './unexplained-answers.ts'
import { registerUserCommands } from './users.ts'

/** Creates the program `trilho`: administration without the API. Every command prints JSON, one object a line. */
export function createProgram(environment: CommandEnvironment = shellEnvironment): Command {
  const program = new OperatorCommand(environment, 'trilho')
    .description('Operator commands of Trilho, a PIX payments engine')
    .showHelpAfterError()
  registerLedgerCommands(program, environment)
  registerReconciliationCommands(program, environment)
  registerTemporalCommands(program, environment)
  registerPauseCommands(program, environment)
  registerRebuildCommands(program, environment)
  registerAccountCommands(program, environment)
  registerUserCommands(program, environment)
  registerTokenCommands(program, environment)
  registerConnectionCommands(program, environment)
  registerSecretCommands(program, environment)
  registerOutboxCommands(program, environment)
  registerUnexplainedAnswerCommands(program, environment)
  return program
}

import { Command } from 'commander'
import { accountCommands } from './accounts.ts'
import { answerCommands } from './answers.ts'
import { connectionCommands } from './connections.ts'
import { engineCommands } from './engine.ts'
import { ledgerCommands } from './ledger.ts'
import { moneyCommands } from './money.ts'
import { outboxCommands } from './outbox.ts'
import { pauseCommands } from './pauses.ts'
import { rebuildCommands } from './rebuild.ts'
import { secretCommands } from './secrets.ts'
import { tokenCommands } from './tokens.ts'
import { type Desk, shell } from './tools.ts'
import { userCommands } from './users.ts'

/** `trilho`: what an administrator does without the API. Every command prints JSON, one object a line. */
export function trilho(desk: Desk = shell): Command {
  const program = new Command('trilho').description('Administers a PIX payments engine').showHelpAfterError()
  ledgerCommands(program, desk)
  moneyCommands(program, desk)
  engineCommands(program, desk)
  pauseCommands(program, desk)
  rebuildCommands(program, desk)
  accountCommands(program, desk)
  userCommands(program, desk)
  tokenCommands(program, desk)
  connectionCommands(program, desk)
  secretCommands(program, desk)
  outboxCommands(program, desk)
  answerCommands(program, desk)
  return program
}

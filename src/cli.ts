import { Command } from 'commander'
import { accountCommands } from './cli/accounts.ts'
import { moneyCommands } from './cli/money.ts'
import { print } from './cli/tools.ts'

/** `trilho`: what an administrator does without the API. Every command prints JSON, one object a line. */
const trilho = new Command('trilho').description('Administers a PIX payments engine').showHelpAfterError()
moneyCommands(trilho)
accountCommands(trilho)

try {
  await trilho.parseAsync()
} catch (error) {
  // A sentence, not a stack: whoever reads it administers, and does not debug.
  print({ error: error instanceof Error ? error.message : String(error) })
  process.exitCode = 1
}

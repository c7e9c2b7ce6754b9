import { Command } from 'commander'
import { accountCommands } from './cli/accounts.ts'
import { moneyCommands } from './cli/money.ts'

/** `trilho`: what an administrator does without the API. Every command prints JSON, one object a line. */
const trilho = new Command('trilho').description('Administers a PIX payments engine').showHelpAfterError()
moneyCommands(trilho)
accountCommands(trilho)
await trilho.parseAsync()

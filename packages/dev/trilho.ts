import { createShellEnvironment } from '../../src/cli/command-context.ts'
import { runProgram } from '../../src/cli/program.ts'
import { COMMAND_DEFAULTS, DEV_COMMANDS } from './commands.ts'

/** `npm run trilho`: the commands of the product and of development; `npm start`, where it runs, says what options do not. */
await runProgram(createShellEnvironment(COMMAND_DEFAULTS), DEV_COMMANDS)

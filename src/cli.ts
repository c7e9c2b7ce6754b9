import { createShellEnvironment } from './cli/command-context.ts'
import { runProgram } from './cli/program.ts'

await runProgram(createShellEnvironment())

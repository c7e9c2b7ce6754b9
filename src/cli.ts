import { shellEnvironment } from './cli/command-context.ts'
import { createProgram } from './cli/program.ts'
import { classifyDatabaseError } from './startup/database.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  // A sentence, not a stack: whoever reads it administers, and does not debug.
  const told = classifyDatabaseError(error) ?? error
  shellEnvironment.print({ error: told instanceof Error ? told.message : String(told) })
  process.exitCode = 1
}

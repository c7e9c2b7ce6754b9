import { shellEnvironment } from './cli/command-context.ts'
import { createProgram } from './cli/program.ts'
import { classifyDatabaseError } from './db/client/startup-check.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  // A sentence without a stack: it is for operators.
  const failure = classifyDatabaseError(error) ?? error
  shellEnvironment.print({ error: failure instanceof Error ? failure.message : String(failure) })
  process.exitCode = 1
}

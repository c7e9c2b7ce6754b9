import { shellEnvironment } from './cli/command-context.ts'
import { createProgram } from './cli/program.ts'

try {
  await (await createProgram(shellEnvironment, process.argv.slice(2))).parseAsync()
} catch (error) {
  const { classifyDatabaseError } = await import('./db/client/startup-check.ts')
  // A sentence without a stack: it is for operators.
  const failure = classifyDatabaseError(error) ?? error
  shellEnvironment.print({ error: failure instanceof Error ? failure.message : String(failure) })
  process.exitCode = 1
}

import { trilho } from './cli/program.ts'
import { shell } from './cli/tools.ts'
import { databaseRefusal } from './startup/database.ts'

try {
  await trilho().parseAsync()
} catch (error) {
  // A sentence, not a stack: whoever reads it administers, and does not debug.
  const told = databaseRefusal(error) ?? error
  shell.print({ error: told instanceof Error ? told.message : String(told) })
  process.exitCode = 1
}

import { trilho } from './cli/program.ts'
import { shell } from './cli/tools.ts'

try {
  await trilho().parseAsync()
} catch (error) {
  // A sentence, not a stack: whoever reads it administers, and does not debug.
  shell.print({ error: error instanceof Error ? error.message : String(error) })
  process.exitCode = 1
}

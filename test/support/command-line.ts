import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { readLocalConfig } from '../../packages/dev/config.ts'

// biome-ignore lint/suspicious/noExplicitAny: a story reads what it expects and fails where it is not.
export type CommandResult = { code: number; lines: any[]; stderr: string }

const ROOT = join(import.meta.dirname, '../..')

/** The exit code and output of `npm run trilho -- …` with these variables. */
export function createCommandLine(
  variables: NodeJS.ProcessEnv,
): (...words: string[]) => Promise<CommandResult> {
  const { DATABASE_URL: _, ...environment } = readLocalConfig().environment
  const env = { TRILHO_ENVIRONMENT: 'local', ...environment, ...variables }
  return (...words) =>
    new Promise(resolve => {
      execFile(
        process.execPath,
        ['packages/dev/trilho.ts', ...words],
        { cwd: ROOT, env },
        (error, stdout, stderr) => {
          const lines = stdout.split('\n').filter(line => line !== '')
          resolve({
            code: error ? Number(error.code) : 0,
            lines: lines.map(line => JSON.parse(line)),
            stderr: stderr,
          })
        },
      )
    })
}

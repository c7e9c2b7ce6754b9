import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROGRAM_ENVIRONMENT } from '../../support/program-environment.ts'
import type { TestStack } from './test-stack.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** The code that was sent to an address, as `npm run trilho -- outbox` shows it. */
export async function readOutboxCode({ home }: TestStack, to: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['packages/dev/trilho.ts', 'outbox'], {
    cwd: ROOT,
    env: { ...PROGRAM_ENVIRONMENT, TRILHO_HOME: home.folder },
  })
  const lines = stdout.trim().split('\n')
  return lines.map(line => JSON.parse(line)).find(line => line.to === to).auth_code
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findProcessIdentity, isProcessAlive } from '../../packages/dev/process/identity.ts'
import { pollUntil } from '../api/support/poll-until.ts'

test('a program that a suite has started ends when the process of the suite is killed', async () => {
  const program = join(import.meta.dirname, 'programs/starts-idle.ts')
  const suite = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid] = await once(suite.stdout, 'data')
  const started = findProcessIdentity(Number(pid))!
  expect(isProcessAlive(started)).toBe(true)
  suite.kill('SIGKILL')
  await pollUntil(
    () => isProcessAlive(started),
    isAlive => !isAlive,
  )
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { acquireFileLock, readLockHolder, tryFileLock } from '../../packages/dev/os/file-lock.ts'
import { pause } from '../../src/startup/wait-until.ts'
import { createTemporaryFolder } from '../support/servers.ts'

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
let path: string
const processes: ChildProcess[] = []
beforeEach(async () => {
  folder = await createTemporaryFolder()
  path = join(folder.path, 'lock')
})
afterEach(() => {
  for (const one of processes.splice(0)) one.kill('SIGKILL')
  return folder.remove()
})

function startLockHolder(times: string): ChildProcess {
  const program = join(import.meta.dirname, 'programs', 'lock-holder.ts')
  const child = spawn(process.execPath, ['--expose-gc', program, path, times], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  processes.push(child)
  return child
}

test('a lock has one holder, and the next one after its release', async () => {
  const tries = Array.from({ length: 20 }, () => tryFileLock(path))
  expect(tries.map(lock => lock !== undefined)).toEqual([true, ...Array(19).fill(false)])
  expect(readLockHolder(path)).toBe(String(process.pid))
  const waiting = acquireFileLock(path)
  await pause(50)
  tries[0]!.release()
  ;(await waiting).release()
})

test('the lock of a suspended process is kept, and that of a killed one is free at once', async () => {
  const holder = startLockHolder('keep')
  await once(holder.stdout!, 'data')
  holder.kill('SIGSTOP')
  expect(tryFileLock(path)).toBeUndefined()
  expect(readLockHolder(path)).toBe(String(holder.pid))
  const ended = once(holder, 'exit')
  holder.kill('SIGKILL')
  await ended
  const lock = tryFileLock(path)
  expect(lock).toBeDefined()
  lock!.release()
})

test('processes that lock and release as fast as they can never hold it together', async () => {
  const endings = [1, 2, 3, 4].map(() => once(startLockHolder('300'), 'exit'))
  expect((await Promise.all(endings)).map(([code]) => code)).toEqual([0, 0, 0, 0])
})

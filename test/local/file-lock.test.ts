import { spawn } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { acquireFileLock, tryFileLock } from '../../src/dev/os/file-lock.ts'
import { pause } from '../../src/dev/os/wait-until.ts'
import { findProcessIdentity, readOwnIdentity } from '../../src/dev/process/identity.ts'
import { createTemporaryFolder } from '../support/servers.ts'

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
beforeEach(async () => {
  folder = await createTemporaryFolder()
})
afterEach(() => folder.remove())

test('a lock has one holder, and the next one after its release', async () => {
  const path = join(folder.path, 'lock')
  const first = await acquireFileLock(path)
  expect(await tryFileLock(path)).toEqual({ heldBy: readOwnIdentity() })
  const waiting = acquireFileLock(path)
  await pause(50)
  await first.release()
  await (await waiting).release()
  expect(await readdir(folder.path)).toEqual([])
})

test.each([
  ['an ended process', async () => ({ ...(await endedProcess()) })],
  ['a process whose pid is reused', async () => ({ ...readOwnIdentity(), started: 'long ago' })],
])('the lock of %s is taken over by exactly one process', async (_who, holder) => {
  const path = join(folder.path, 'lock')
  await writeFile(path, JSON.stringify(await holder()))
  const tries = await Promise.all(Array.from({ length: 20 }, () => tryFileLock(path)))
  expect(tries.filter(one => 'release' in one)).toHaveLength(1)
})

test('an unreadable lock is taken over', async () => {
  const path = join(folder.path, 'lock')
  await writeFile(path, '')
  expect(await tryFileLock(path)).toHaveProperty('release')
})

test('processes that lock and release as fast as they can never hold it together', async () => {
  const program = join(import.meta.dirname, 'programs', 'lock-holder.ts')
  const args = [program, join(folder.path, 'lock'), '300']
  const processes = Array.from({ length: 4 }, () => spawn(process.execPath, args, { stdio: 'inherit' }))
  const endings = processes.map(one => new Promise(resolve => one.once('exit', resolve)))
  expect(await Promise.all(endings)).toEqual([0, 0, 0, 0])
}, 60_000)

async function endedProcess() {
  const child = spawn('sleep', ['60'])
  const identity = findProcessIdentity(child.pid!)!
  child.kill('SIGKILL')
  await new Promise(resolve => child.once('exit', resolve))
  return identity
}

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import {
  findProcessIdentity,
  isProcessAlive,
  type ProcessIdentity,
} from '../../packages/dev/process/identity.ts'
import { type ChildProcessName, stopInOrder, stopLeftovers } from '../../packages/dev/process/shutdown.ts'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { createTemporaryFolder } from '../support/servers.ts'

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
const started: ChildProcess[] = []
beforeEach(async () => {
  folder = await createTemporaryFolder()
})
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  await folder.remove()
})

/** A process that writes its name to the journal on a stop signal, a little later. */
async function one(name: string): Promise<ProcessIdentity> {
  const journal = join(folder.path, 'journal')
  const noteAndEnd = `sleep 0.1; echo ${name} >> ${journal}; exit 0`
  const script = `trap '${noteAndEnd}' TERM INT; touch ${journal}.${name}; while :; do sleep 0.02; done`
  const child = spawn('sh', ['-c', script], { detached: true })
  started.push(child)
  await waitUntil(() => existsSync(`${journal}.${name}`), {
    description: 'no start',
    limitMs: 60_000,
    everyMs: 10,
  })
  return findProcessIdentity(child.pid!)!
}

test('processes end one after another in order', async () => {
  const names: ChildProcessName[] = ['postgres', 'temporal', 'simulator', 'worker', 'api']
  const running = Object.fromEntries(await Promise.all(names.map(async name => [name, await one(name)])))
  await stopInOrder(running, () => {})
  const journal = readFileSync(join(folder.path, 'journal'), 'utf8').trim().split('\n')
  expect(journal).toEqual(['api', 'worker', 'simulator', 'temporal', 'postgres'])
})

test('processes of an earlier start are ended, but not a foreign process with a recorded pid', async () => {
  const [left, stranger] = [await one('api'), await one('worker')]
  const file = join(folder.path, 'pids.json')
  const worker = { pid: stranger.pid, started: 'before the stranger came' }
  writeFileSync(file, JSON.stringify({ api: left, worker }))
  const lines: string[] = []
  await stopLeftovers(file, line => lines.push(line))
  expect({ left: isProcessAlive(left), stranger: isProcessAlive(stranger) }).toEqual({
    left: false,
    stranger: true,
  })
  expect(lines).toEqual(['Ending processes of the previous start: api.'])
  expect(existsSync(file)).toBe(false)
})

import { readFileSync, statSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { Connection } from '@temporalio/client'
import { resolveStateDir, tryReadJsonFile } from '../../packages/dev/env/state-dir.ts'
import { isProcessAlive, type ProcessIdentity } from '../../packages/dev/process/identity.ts'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { createTemporaryFolder } from '../support/servers.ts'
import { launchStack, readRunningProcesses, type Stack, startStack } from '../support/stack.ts'

// Seven starts at once, each with a PostgreSQL and a Temporal; twenty seconds where the machine is not busy.

const program = 'test/local/programs/start.ts'

const running = ({ home }: Stack) => readRunningProcesses(home) as Promise<Record<string, ProcessIdentity>>

function journal(stack: Stack): string[] {
  return readFileSync(`${stack.home.folder}/journal`, 'utf8').trim().split('\n')
}

test.concurrent('a start prints all addresses, ends in order by one signal or many, and restarts with the same ports', async () => {
  const stack = await startStack({ program, environment: { HOST: '127.0.0.2' } })
  const first = stack.local
  expect(Object.keys(await running(stack)).sort()).toEqual([
    'api',
    'postgres',
    'simulator',
    'temporal',
    'worker',
  ])
  expect(first).toMatchObject({ docs_url: `${first.api_url}/docs`, token: 'trl_test' })
  expect(first).toMatchObject({ temporal_namespace: 'default', task_queue: 'trilho' })
  expect(statSync(stack.home.localInfo).mode & 0o777).toBe(0o600)
  expect(statSync(stack.home.secretKey).mode & 0o777).toBe(0o600)
  expect(statSync(stack.home.temporalDatabase).mode & 0o077).toBe(0)
  const connection = await Connection.connect({ address: first.temporal_address })
  await connection.close()

  expect(
    stack
      .output()
      .split('\n')
      .filter(line => line.endsWith(' …'))
      .sort(),
  ).toEqual([
    'Creating and starting PostgreSQL …',
    'Setting up the demo account …',
    'Starting Temporal …',
    `Starting Trilho in ${stack.home.folder} …`,
    'Starting the simulator of the providers …',
    'Starting the worker and the API …',
  ])
  expect(stack.output()).toMatch(/^Starting Trilho in /)

  await stack.restart()
  expect(journal(stack).filter(line => line.startsWith('ends'))).toEqual([
    'ends api',
    'ends worker',
    'ends simulator',
  ])
  expect(stack.local).toEqual(first)
  const children = Object.values(await running(stack))

  process.kill(children[0]!.pid, 0)
  expect(await stack.stop()).toBe(0)
  expect(stack.output()).toContain('Stopped.')
  expect(children.filter(isProcessAlive)).toEqual([])
})

test.concurrent('after a kill -9 the next start ends the remaining processes, and no others', async () => {
  const stack = await startStack({ program })
  const left = Object.values(await running(stack))
  await stack.kill9()
  expect(left.filter(isProcessAlive)).toHaveLength(5)
  await stack.restart()
  expect(left.filter(isProcessAlive)).toEqual([])
  expect(Object.values(await running(stack)).filter(isProcessAlive)).toHaveLength(5)
  await stack.stop()
})

test.concurrent('a child that ends is restarted, and so is a killed database', async () => {
  const stack = await startStack({ program })
  const before = await running(stack)
  for (const name of ['worker', 'postgres']) process.kill(before[name]!.pid, 'SIGKILL')
  const after = await waitUntil(
    async () => {
      const now = await running(stack)
      return now.worker?.pid !== before.worker?.pid && now.postgres && now.worker ? now : undefined
    },
    { description: 'They do not come back', limitMs: 60_000 },
  )
  expect(after.api).toEqual(before.api)
  expect(await stack.stop()).toBe(0)
})

test.concurrent('a program that fails at its start stops everything, with its last output and exit code 1', async () => {
  const folder = await createTemporaryFolder()
  const home = resolveStateDir(folder.path)
  const start = launchStack(home, { program, environment: { WORKER_IS_BROKEN: 'yes' } })
  expect(await start.ended).toBe(1)
  expect(start.output()).toMatch(
    /worker ended 5 times in a row, at last with code 1[\s\S]*The worker is broken/,
  )
  expect(await tryReadJsonFile(home.pids)).toBeUndefined()
  await folder.remove()
})

test.concurrent('a demo account that cannot be set up stops everything, with what its program printed', async () => {
  const folder = await createTemporaryFolder()
  const home = resolveStateDir(folder.path)
  const start = launchStack(home, { program, environment: { DEMO_IS_BROKEN: 'yes' } })
  expect(await start.ended).toBe(1)
  expect(start.output()).toMatch(/The demo account cannot be set up[\s\S]*The demo is broken/)
  expect(await tryReadJsonFile(home.pids)).toBeUndefined()
  await folder.remove()
})

test.concurrent('a second start in the same home is refused, one in another home gets its own ports', async () => {
  const [stack, other] = await Promise.all([startStack({ program }), startStack({ program })])
  expect(other.local.api_url).not.toBe(stack.local.api_url)
  const second = launchStack(stack.home, { program })
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain('Trilho runs already')
  expect(await tryReadJsonFile(stack.home.localInfo)).toEqual(stack.local)
  await Promise.all([stack.stop(), other.stop()])
})

test.concurrent('repeated signals to the process group are one orderly stop, also before the start is complete', async () => {
  const folder = await createTemporaryFolder()
  const home = resolveStateDir(folder.path)
  const start = launchStack(home, { program })
  await waitUntil(
    async () => (await tryReadJsonFile<Record<string, ProcessIdentity>>(home.pids))?.simulator,
    {
      description: 'It does not begin',
      limitMs: 60_000,
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) start.child.kill(signal)
  expect(await start.ended).toBe(0)
  expect(start.output()).toContain('Stopped.')
  await folder.remove()
})

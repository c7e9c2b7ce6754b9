import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { type PickedPorts, type PortName, pickPorts, reserveFreePort } from '../../packages/dev/os/ports.ts'

const names: PortName[] = [
  'api',
  'worker',
  'simulator',
  'providerA',
  'providerB',
  'providerC',
  'providerD',
  'postgres',
  'temporal',
  'temporalUi',
]
/** No test may depend on what this machine runs at the default ports. */
const any = Object.fromEntries(names.map(name => [name, 0]))

const listening: Server[] = []
const picked: PickedPorts[] = []

afterEach(async () => {
  for (const one of picked.splice(0)) await one.release()
  for (const server of listening.splice(0)) await new Promise(resolve => server.close(resolve))
})

async function pick(options: Parameters<typeof pickPorts>[0]) {
  const one = await pickPorts(options)
  picked.push(one)
  return one
}

async function occupy(port: number) {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  listening.push(server)
}

async function someFreePort() {
  const { port, release } = await reserveFreePort()
  await release()
  return port
}

test('a port that moved is kept by the next start', async () => {
  const first = await pick({ requested: any, remembered: {} })
  await first.release()
  const second = await pick({ requested: any, remembered: first.portsToRemember })
  expect(second.ports).toEqual(first.ports)
  expect(new Set(Object.values(first.ports)).size).toBe(names.length)
})

test('a remembered port that another process uses moves, and the new one is remembered', async () => {
  const { port: occupiedPort, release } = await reserveFreePort()
  await occupy(occupiedPort)
  release()
  const { ports, portsToRemember: kept } = await pick({
    requested: { ...any, api: undefined },
    remembered: { api: occupiedPort },
  })
  expect(ports.api).not.toBe(occupiedPort)
  expect(kept.api).toBe(ports.api)
})

test('a requested port takes precedence over a remembered one, which moves', async () => {
  const port = await someFreePort()
  const given = { ...any, api: undefined, postgres: port }
  const { ports } = await pick({ requested: given, remembered: { api: port } })
  expect(ports.postgres).toBe(port)
  expect(ports.api).not.toBe(port)
})

test('a given port is used as given: not remembered, and an error names its variable if it is in use', async () => {
  const port = await someFreePort()
  const { ports, portsToRemember: kept } = await pick({
    requested: { ...any, postgres: port },
    remembered: {},
  })
  expect(ports.postgres).toBe(port)
  expect(kept).not.toHaveProperty('postgres')
  await expect(pickPorts({ requested: { ...any, temporal: port }, remembered: {} })).rejects.toThrow(
    `TEMPORAL_PORT asks for port ${port}`,
  )
})

test('concurrent starts never share a port, even before they listen', async () => {
  const wanted = Object.fromEntries(await Promise.all(names.map(async name => [name, await someFreePort()])))
  const both = await Promise.all([
    pick({ requested: {}, remembered: wanted }),
    pick({ requested: {}, remembered: wanted }),
    pick({ requested: {}, remembered: wanted }),
  ])
  const all = both.flatMap(({ ports }) => Object.values(ports))
  expect(new Set(all).size).toBe(all.length)
})

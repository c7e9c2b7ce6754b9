import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { Agent } from 'undici'
import { createSimulatorClient } from '../../../packages/simulator/control/client.ts'
import { startSimulator } from '../../../packages/simulator/server.ts'
import { pollUntil as pollWithin } from '../../api/support/poll-until.ts'
import { createEfiClient } from './efi-client.ts'

/** The key, holder and credentials of the account of most tests. */
export const SHOP = {
  provider: 'PROVIDER_A',
  dialect: 'efi',
  client_id: 'shop-id',
  client_secret: 'shop-secret',
  holder: { name: 'Loja São João', document: '11222333000181' },
  ispb: '09089356',
  keys: ['loja@trilho.test'],
  balance: 100,
} as const

export type SimulatorFixture = Awaited<ReturnType<typeof openSimulatorFixture>>

/**
 * A simulator on free ports over a folder of its own, sixty times faster than real time: what is accepted settles after
 * 3 ms, a silence lasts 1 s. Its clock can be advanced.
 */
export async function openSimulatorFixture({
  home = mkdtempSync(join(tmpdir(), 'simulator-')),
  seed = 1,
  port = 0,
} = {}) {
  let aheadMs = 0
  let stoppedAtMs: number | undefined
  const simulator = await startSimulator({
    config: {
      host: '127.0.0.1',
      port,
      providerPorts: [0, 0, 0, 0],
      home,
      publicHost: 'localhost',
      seed,
      timeScale: 60,
      logLevel: 'silent',
    },
    log: pino({ level: 'silent' }),
    now: () => new Date((stoppedAtMs ?? Date.now()) + aheadMs),
  })
  const { info: facts } = simulator
  const ca = readFileSync(facts.ca_file, 'utf8')
  const control = createSimulatorClient(facts.url, facts.ca_file)
  const browser = new Agent({ connect: { ca } })
  const callers: { close(): Promise<void> }[] = []

  return {
    home,
    publicHost: 'localhost',
    facts,
    ca,
    control,
    /** Speaks HTTPS with the main port as a browser would. */
    browser,
    advanceClock: (seconds: number) => {
      aheadMs += seconds * 1000
    },
    /** Stops its clock during an action, which sees no time pass, however slow the machine. */
    async whileClockIsStopped<T>(act: () => Promise<T>): Promise<T> {
      stoppedAtMs = Date.now()
      return act().finally(() => {
        stoppedAtMs = undefined
      })
    },
    /** Creates the account and answers a client of it. */
    createShop: async (changes: object = {}) => {
      const settings = { ...SHOP, keys: [...SHOP.keys], ...changes }
      await control.putAccount('shop', settings)
      const caller = createEfiClient(facts.providers[settings.provider].base_url, { ca, ...settings })
      callers.push(caller)
      return caller
    },
    /** Leaves the home folder unchanged, for a restart over it. */
    stop: async () => {
      await Promise.all([control.close(), browser.destroy(), ...callers.map(caller => caller.close())])
      await simulator.close()
    },
    close: async function () {
      await this.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Polls until the value fits, for at most half a minute. */
export function pollUntil<T>(ask: () => Promise<T>, fits: (answer: NoInfer<T>) => boolean): Promise<T> {
  return pollWithin(ask, fits, { limitMs: 30_000 })
}

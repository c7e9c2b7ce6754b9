import { reaisFromCents } from '../../src/domain/money.ts'
import { SimulatorRefusal } from '../../src/simulator/client.ts'
import { type Cast, DIALECTS } from './cast.ts'
import type { Site } from './site.ts'
import type { WeatherEvent } from './weather.ts'

type PanelEvent = Extract<WeatherEvent, { kind: 'panel' }>
type Connection = Cast['merchants'][number]['connections'][number]

/** What people do in the providers' panels during a storm: money moves without the API, waiting orders are decided. */
export function panelOf({ simulator }: Pick<Site, 'simulator'>, { merchants }: Cast) {
  const connections = merchants.flatMap(one => one.connections).filter(listsEntries)
  /** Blocks that hold, by the place at which they came. */
  const blocks = new Map<number, { connection: Connection; cents: number }>()

  return {
    /** False where the provider refuses. */
    async move({ before, place, movement, cents }: PanelEvent): Promise<boolean> {
      const connection = connections[place % connections.length]!
      const moved = await allowed(
        simulator.move({
          ...{ provider: connection.provider, account: connection.account, kind: movement },
          value: reaisFromCents(cents),
        }),
      )
      if (moved && movement === 'block') blocks.set(before, { connection, cents })
      return moved
    },
    unblock,
    async unblockAll(): Promise<void> {
      for (const block of [...blocks.keys()]) await unblock(block)
    },
    /** False where no order waits. An order that the provider does not carry out is removed. */
    async decideOrder(approves: boolean): Promise<boolean> {
      const [order] = await simulator.orders()
      if (!order) return false
      if (approves && (await allowed(simulator.approveOrder(order.id)))) return true
      return allowed(simulator.removeOrder(order.id))
    },
  }

  async function unblock(at: number): Promise<boolean> {
    const block = blocks.get(at)
    if (!block) return false
    const { provider, account } = block.connection
    blocks.delete(at)
    return allowed(simulator.move({ provider, account, kind: 'unblock', value: reaisFromCents(block.cents) }))
  }
}

/** Efí's API lists no movement that is no PIX: operators book those. */
function listsEntries({ provider }: Connection): boolean {
  return DIALECTS[provider] === 'woovi'
}

async function allowed(something: Promise<unknown>): Promise<boolean> {
  try {
    await something
    return true
  } catch (error) {
    if (error instanceof SimulatorRefusal) return false
    throw error
  }
}

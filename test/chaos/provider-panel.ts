import { SimulatorApiError } from '../../packages/simulator/control/client.ts'
import { reaisFromCents } from '../../src/domain/ledger/money.ts'
import type { Participants, StormConnection } from './participants.ts'
import type { FaultEvent } from './planned-faults.ts'
import type { StackClients } from './stack-clients.ts'

type PanelEvent = Extract<FaultEvent, { kind: 'panel' }>

/** What people do in the providers' panels during a storm: money moves without the API, waiting payments are decided. */
export function createProviderPanel(
  { simulator }: Pick<StackClients, 'simulator'>,
  { merchants }: Participants,
) {
  const connections = merchants.flatMap(one => one.connections).filter(listsEntries)
  /** Active blocks, by the place at which they came. */
  const blocks = new Map<number, { connection: StormConnection; cents: number }>()

  return {
    /** False where the provider refuses. */
    async moveMoney({ before, place, movement, cents }: PanelEvent): Promise<boolean> {
      const connection = connections[place % connections.length]!
      const moved = await isAcceptedBySimulator(
        simulator.moveMoney({
          provider: connection.provider,
          account: connection.account,
          kind: movement,
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
    /** False where no payment waits. One that the provider does not carry out is removed. */
    async decideOrder(approves: boolean): Promise<boolean> {
      const [order] = await simulator.listOrders()
      if (!order) return false
      if (approves && (await isAcceptedBySimulator(simulator.approveOrder(order.id)))) return true
      return isAcceptedBySimulator(simulator.removeOrder(order.id))
    },
  }

  async function unblock(at: number): Promise<boolean> {
    const block = blocks.get(at)
    if (!block) return false
    const { provider, account } = block.connection
    blocks.delete(at)
    return isAcceptedBySimulator(
      simulator.moveMoney({ provider, account, kind: 'unblock', value: reaisFromCents(block.cents) }),
    )
  }
}

/** Efí's API lists only movements that are a PIX: operators post the others. */
function listsEntries({ api }: StormConnection): boolean {
  return api === 'woovi'
}

async function isAcceptedBySimulator(something: Promise<unknown>): Promise<boolean> {
  try {
    await something
    return true
  } catch (error) {
    if (error instanceof SimulatorApiError) return false
    throw error
  }
}

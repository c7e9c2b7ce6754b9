import type { ProviderName } from '../domain/provider.ts'
import type { SimulatorFacts } from '../simulator/server.ts'

/** What the simulator says of itself in `simulator.json`. */
export type { SimulatorFacts as SimulatorInfo } from '../simulator/server.ts'

/** A local start's account, as `local.json` shows it. */
export type DemoResult = {
  account_uuid: string
  token: string
  providers: Record<ProviderName, { uuid: string; token: string }>
  recipient_accounts: { uuid: string; name: string; token: string }[]
}

export type DemoOptions = {
  databaseUrl: string
  secretKeys: string
  simulator: SimulatorFacts
  publicUrl: string
}

/** Brings the schema up to date and gives the demo account what it lacks; its tokens are new at every start. */
export async function setUpDemo(_options: DemoOptions): Promise<DemoResult> {
  throw new Error('The demo account needs the database layer, which has not landed.')
}

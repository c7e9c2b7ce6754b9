import { PROVIDER_APIS, type ProviderApi } from '../../src/domain/providers/provider.ts'

/** A provider API that the simulator serves. Its simulation is written apart from an adapter, and may be there before it. */
export type SimulatedDialect = ProviderApi | 'stark'
export const SIMULATED_DIALECTS: readonly SimulatedDialect[] = [
  ...new Set<SimulatedDialect>([...PROVIDER_APIS, 'stark']),
]

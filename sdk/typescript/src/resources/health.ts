import type { Call, CallOptions } from '../call.ts'
import type { Health as HealthState } from '../openapi/types.ts'

/** The state of the service. */
export const createHealth = (call: Call) => ({
  /** Whether the process is up. */
  getLiveness: (options?: CallOptions): Promise<HealthState> => call('getLiveness', {}, options),
  /** Whether it can execute operations. */
  getReadiness: (options?: CallOptions): Promise<HealthState> => call('getReadiness', {}, options),
})
export type Health = ReturnType<typeof createHealth>

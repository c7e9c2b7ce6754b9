import type { Body, Call, CallOptions } from '../call.ts'
import type { AccountLimits, LimitUsage } from '../openapi/types.ts'

/** What the account may send. */
export const createLimits = (call: Call) => ({
  /** Reads the limits in force, and those that are pending. */
  get: (options?: CallOptions): Promise<AccountLimits> => call('getLimits', {}, options),
  /** Replaces the limits: what allows less acts at once, what allows more after 24 hours. */
  replace: (body: Body<'replaceLimits'>, options?: CallOptions): Promise<AccountLimits> =>
    call('replaceLimits', { body }, options),
  /** Replaces the secret that signs call-outs, and shows the new one whole, this once. */
  rotateCalloutToken: (body?: Body<'rotateCalloutToken'>, options?: CallOptions): Promise<AccountLimits> =>
    call('rotateCalloutToken', { body }, options),
  /** Reads what is used of the limits of this day and night. */
  getUsage: (options?: CallOptions): Promise<LimitUsage> => call('getLimitUsage', {}, options),
})
export type Limits = ReturnType<typeof createLimits>

import { DriverException } from '@mikro-orm/core'
import { Context } from '@temporalio/activity'
import type { ActivityInboundCallsInterceptor, WorkerPlugin } from '@temporalio/worker'

/**
 * Sends heartbeats while an activity runs. Temporal then detects a worker that dies during a call within the heartbeat
 * timeout (src/workflows/shared/activity-proxies.ts), not only at the activity's own timeout.
 */
const heartbeatInterceptor: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    const context = Context.current()
    const { heartbeatTimeoutMs } = context.info
    if (!heartbeatTimeoutMs) return next(input)
    const timer = setInterval(() => context.heartbeat(), heartbeatTimeoutMs / 4)
    try {
      return await next(input)
    } finally {
      clearInterval(timer)
    }
  },
}

/**
 * Removes the data of a row from the failure of an activity. A PostgreSQL error quotes the row that it refused, and an
 * activity's failure stays in a workflow history: the redacted error names only the code, the constraint and the table.
 */
export const redactionInterceptor = {
  async execute(input, next) {
    try {
      return await next(input)
    } catch (error) {
      if (!(error instanceof DriverException)) throw error
      const { code, constraint, table } = error as DriverException & Record<string, unknown>
      const summary = [code, constraint, table && `of ${table}`].filter(Boolean).join(' ')
      throw new Error(`The database rejected the statement or is unavailable: ${summary || error.name}`)
    }
  },
} satisfies ActivityInboundCallsInterceptor

/**
 * Adds the interceptors to a worker, inside those of the plugins before it: a trace must not contain the data of a row
 * either.
 */
export const activityInterceptorPlugin = {
  name: 'activity-interceptors',
  configureWorker({ interceptors, ...options }) {
    const inboundInterceptors = [heartbeatInterceptor, redactionInterceptor].map(inbound => () => ({
      inbound,
    }))
    return {
      ...options,
      interceptors: {
        ...interceptors,
        activity: [...(interceptors?.activity ?? []), ...inboundInterceptors],
      },
    }
  },
} satisfies WorkerPlugin

import { randomUUID } from 'node:crypto'
import type { ApiClient } from './client.ts'
import { pollUntil } from './poll-until.ts'

const POLLS = { everyMs: 200 }

/**
 * Creates the cheapest event: a charge is cancelled. A request that a busy machine did not answer in time is repeated,
 * as any merchant would.
 */
export async function triggerEvent(api: ApiClient): Promise<string> {
  const key = randomUUID()
  const order = { value: 10, type: 'PIX' }
  const made = await pollUntil(
    () => api.post('/api/v1/payments', order, { key }),
    ({ status }) => status === 201,
    POLLS,
  )
  const { uuid } = made.body.data
  await pollUntil(
    async () => {
      const { status } = await api.post(`/api/v1/payments/${uuid}/cancel`)
      return status === 200 ? 'CANCELLED' : (await api.readCharge(uuid)).status
    },
    status => status === 'CANCELLED',
    POLLS,
  )
  return uuid
}

import { randomUUID } from 'node:crypto'
import type { Api } from './client.ts'
import { until } from './until.ts'

const PATIENT = { limitMs: 45_000, everyMs: 200 }

/**
 * Something that endpoints hear of, and the cheapest there is: a charge is cancelled. What a busy machine could not answer
 * in time is asked again, as any merchant would.
 */
export async function somethingIsTold(api: Api): Promise<string> {
  const key = randomUUID()
  const order = { value: 10, type: 'PIX' }
  const made = await until(
    () => api.post('/api/v1/payments', order, { key }),
    ({ status }) => status === 201,
    PATIENT,
  )
  const { uuid } = made.body.data
  await until(
    async () => {
      const { status } = await api.post(`/api/v1/payments/${uuid}/cancel`)
      return status === 200 ? 'CANCELLED' : (await api.read(uuid)).status
    },
    status => status === 'CANCELLED',
    PATIENT,
  )
  return uuid
}

import type { ApiClient } from './client.ts'

/** Creates the cheapest event: a charge is cancelled. Returns its UUID. */
export async function triggerEvent(api: ApiClient): Promise<string> {
  const { uuid } = await api.createCharge()
  await api.carryOut('POST', `/api/v1/payments/${uuid}/cancel`)
  return uuid
}

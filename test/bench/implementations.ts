import { pollUntil } from '../api/support/poll-until.ts'
import type { BenchApiClient, BenchStack } from './bench-stack.ts'
import type { Program } from './cpu.ts'

/** Trilho, or the baseline: the same calls over the same provider. */
export type Implementation = {
  name: 'Trilho' | 'baseline'
  /** The programs whose processor time its operations take. */
  programs: readonly Program[]
  api: BenchApiClient
  /** A merchant whose paid charges are announced to these URLs; answers its token. */
  createMerchant(endpoints?: string[]): Promise<string>
}

export type CreatedCharge = { uuid: string; payment: { payload: string } }

export function createTrilhoImplementation(site: BenchStack): Implementation {
  const api = site.api()
  return {
    name: 'Trilho',
    programs: ['Temporal', 'worker', 'API', 'PostgreSQL'],
    api,
    async createMerchant(endpoints = []) {
      const { token } = await site.stage.createMerchant()
      for (const url of endpoints) {
        const { status, body } = await api.post('/api/v1/webhooks', token, { url, events: ['PAYMENT'] })
        if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(body)}`)
      }
      return token
    },
  }
}

/** Undefined where it is refused. */
export async function createCharge(
  { api }: Implementation,
  token: string,
  /** Further members of the request. */
  members: object = {},
): Promise<CreatedCharge | undefined> {
  const { status, body } = await api.post('/api/v1/payments', token, { value: 10, type: 'PIX', ...members })
  return status === 201 ? body.data : undefined
}

/** Creates one, again where it is refused because of the load. */
export async function requireCharge(implementation: Implementation, token: string): Promise<CreatedCharge> {
  const create = () => createCharge(implementation, token)
  return (await pollUntil(create, charge => charge !== undefined, { limitMs: 60_000, everyMs: 200 }))!
}

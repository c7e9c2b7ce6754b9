import { parseAnswer } from '../adapter/answer-parsing.ts'
import { rejectForThisProvider, toCreateKeyOutcome, toDeleteKeyOutcome } from '../adapter/outcomes.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { efiKeyResponseSchema, efiRandomKeysSchema } from './schemas.ts'

/**
 * Creates the calls about random PIX keys, the only ones that Efí's API creates, lists and deletes ("Endpoints
 * exclusivos Efí": Criar, Listar, Remover chave evp).
 */
export function createEfiPixKeys(client: EfiClient): Pick<Provider, 'createKey' | 'listKeys' | 'deleteKey'> {
  return {
    async createKey({ type }) {
      if (type !== 'RANDOM') return unsupportedKeyType
      const request = {
        ...createKeyCall,
        method: 'POST',
        path: '/v2/gn/evp',
        hasOwnConnection: true,
      } as const
      return toCreateKeyOutcome(
        await client.send(request, (json, notes) => {
          const created = parseAnswer(efiKeyResponseSchema, json, notes)
          return created && { key: created.chave }
        }),
      )
    },

    async listKeys() {
      return client.lookUpExisting({ ...listKeysCall, method: 'GET', path: '/v2/gn/evp' }, (json, notes) => {
        const list = parseAnswer(efiRandomKeysSchema, json, notes)
        return list && { keys: list.chaves.map(key => ({ key, type: 'RANDOM' as const })) }
      })
    },

    async deleteKey(key) {
      const call = { call: 'deleteKey', reference: null } as const
      const request = { ...call, method: 'DELETE', path: `/v2/gn/evp/${encodeURIComponent(key)}` } as const
      return toDeleteKeyOutcome(await client.send(request, () => ({})))
    },
  }
}

const createKeyCall = { call: 'createKey', reference: null } as const
const listKeysCall = { call: 'listKeys', reference: null } as const

const unsupportedKeyType = rejectForThisProvider(
  'key_unsupported',
  "The provider's API creates random keys only; create the others in its app",
)

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
        call: 'createKey',
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
      return client.lookUpExisting({ call: 'listKeys', path: '/v2/gn/evp' }, (json, notes) => {
        const list = parseAnswer(efiRandomKeysSchema, json, notes)
        return list && { keys: list.chaves.map(key => ({ key, type: 'RANDOM' as const })) }
      })
    },

    async deleteKey(key) {
      const path = `/v2/gn/evp/${encodeURIComponent(key)}`
      return toDeleteKeyOutcome(await client.send({ call: 'deleteKey', method: 'DELETE', path }, () => ({})))
    },
  }
}

const unsupportedKeyType = rejectForThisProvider(
  'key_unsupported',
  "The provider's API creates random keys only; create the others in its app",
)

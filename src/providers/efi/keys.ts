import { cannotHere, deletionOutcome, keyOutcome } from '../outcomes.ts'
import type { Provider } from '../port.ts'
import { readShape } from '../reading.ts'
import type { EfiClient } from './client.ts'
import { newKey, randomKeys } from './shapes.ts'

/** Random keys: Efí's API makes, lists and removes no others ("Endpoints exclusivos Efí": Criar, Listar, Remover chave evp). */
export function keys(client: EfiClient): Pick<Provider, 'createKey' | 'listKeys' | 'deleteKey'> {
  return {
    async createKey({ type }) {
      if (type !== 'RANDOM') return unsupported
      const request = { ...creation, method: 'POST', path: '/v2/gn/evp', fresh: true } as const
      return keyOutcome(
        await client.send(request, (json, notes) => {
          const made = readShape(newKey, json, notes)
          return made && { key: made.chave }
        }),
      )
    },

    async listKeys() {
      return client.lookUpOwn({ ...listing, method: 'GET', path: '/v2/gn/evp' }, (json, notes) => {
        const listed = readShape(randomKeys, json, notes)
        return listed && { keys: listed.chaves.map(key => ({ key, type: 'RANDOM' as const })) }
      })
    },

    async deleteKey(key) {
      const call = { call: 'deleteKey', reference: null } as const
      const request = { ...call, method: 'DELETE', path: `/v2/gn/evp/${encodeURIComponent(key)}` } as const
      return deletionOutcome(await client.send(request, () => ({})))
    },
  }
}

const creation = { call: 'createKey', reference: null } as const
const listing = { call: 'listKeys', reference: null } as const

const unsupported = cannotHere(
  'key_unsupported',
  'The provider makes random keys only; others are made in its app',
)

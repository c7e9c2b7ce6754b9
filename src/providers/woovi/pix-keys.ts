import { detectDocumentKind } from '../../domain/pix/document.ts'
import type { CreateKeyOutcome, ProviderKeyRequest } from '../../domain/providers/provider.ts'
import { rejectForThisProvider, toCreateKeyOutcome, toDeleteKeyOutcome } from '../adapter/outcomes.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { mapWooviKeyType } from './mapping.ts'
import { createWooviPagination } from './pagination.ts'
import {
  type WooviPixKey,
  wooviKeyRequestSchema,
  wooviKeyResponseSchema,
  wooviPixKeySchema,
} from './schemas.ts'

/** The account's keys, as "Chaves Pix das contas" describes them: EVP, the account's CNPJ, e-mail and phone. */
export function createWooviPixKeys(
  client: WooviClient,
): Pick<Provider, 'createKey' | 'listKeys' | 'deleteKey'> {
  const { readAllPages } = createWooviPagination(client)

  return {
    async createKey(order) {
      const json = buildKeyBody(order)
      if (!json) return unsupportedKeyType
      const call = { call: 'createKey', reference: null, method: 'POST', path: '/api/v1/pix-keys' } as const
      const outcome = await client.send({ ...call, json, hasOwnConnection: true }, answer => {
        const made = wooviKeyResponseSchema.safeParse(answer).data
        return made && made.key === (order.key ?? made.key) ? { key: made.key } : undefined
      })
      if (outcome.kind === 'unknown' && outcome.code === 'duplicate_id') return taken(order)
      return toCreateKeyOutcome(outcome)
    },
    listKeys,
    async deleteKey(key) {
      const path = `/api/v1/pix-keys/${encodeURIComponent(key)}`
      const call = { call: 'deleteKey', reference: null, method: 'DELETE', path } as const
      return toDeleteKeyOutcome(await client.send(call, () => ({})))
    },
  }

  async function listKeys() {
    const listed = await readAllPages<WooviPixKey>({
      ...{ call: 'listKeys', path: '/api/v1/pix-keys' },
      ...{ field: 'pixKeys', item: wooviPixKeySchema, keyOf: ({ key }) => key },
    })
    if (listed.kind === 'no_answer') return listed
    return {
      kind: 'found' as const,
      keys: listed.items.map(({ key, type }) => ({ key, type: mapWooviKeyType(type) })),
    }
  }

  /** The key is there already: by this very order, whose answer got lost, or somebody else's. */
  async function taken({ key }: ProviderKeyRequest): Promise<CreateKeyOutcome> {
    const listed = await listKeys()
    if (listed.kind === 'no_answer') return { ...listed, kind: 'unknown' }
    const ours = listed.keys.find(one => one.key === key)
    return ours ? { kind: 'created', key: ours.key } : keyOfAnotherAccount
  }
}

/** Woovi's name for each kind; it makes no CPF keys by its API. */
function buildKeyBody({ type, key }: ProviderKeyRequest) {
  switch (type) {
    case 'RANDOM':
      return wooviKeyRequestSchema.parse({ type: 'EVP' })
    case 'DOCUMENT':
      return detectDocumentKind(key ?? '') === 'CNPJ'
        ? wooviKeyRequestSchema.parse({ type: 'CNPJ', key })
        : undefined
    case 'EMAIL':
    case 'PHONE':
      return wooviKeyRequestSchema.parse({ type, key })
  }
}

const unsupportedKeyType = rejectForThisProvider(
  'key_unsupported',
  'The provider makes no CPF keys by its API',
)
const keyOfAnotherAccount = {
  kind: 'rejected',
  finality: 'final',
  code: 'key_taken',
  message: 'The key belongs to another account',
} as const

import { detectDocumentKind } from '../../domain/pix/document.ts'
import { normalizePixKey } from '../../domain/pix-keys/key-format.ts'
import type { CreateKeyOutcome, ProviderKeyRequest } from '../../domain/providers/provider.ts'
import { ANY_ANSWER } from '../adapter/answer-parsing.ts'
import {
  isDuplicate,
  rejectForThisProvider,
  toCreateKeyOutcome,
  toDeleteKeyOutcome,
} from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { PixKeyCalls } from '../port.ts'
import type { WooviClient } from './client.ts'
import { WOOVI_KEY_TYPES } from './mapping.ts'
import { wooviKeyRequestSchema, wooviKeyResponseSchema, wooviPixKeySchema } from './schemas.ts'

/** Creates the calls about the account's PIX keys: EVP, its CNPJ, e-mail and phone ("Chaves Pix das contas"). */
export function createWooviPixKeys(client: WooviClient): PixKeyCalls {
  return {
    async createKey(order) {
      const json = buildKeyBody(order)
      if (!json) return unsupportedKeyType
      const call = { call: 'createKey', method: 'POST', path: '/api/v1/pix-keys' } as const
      const request = { ...call, json, hasOwnConnection: true }
      const outcome = await client.send(request, wooviKeyResponseSchema, ({ key, type }) =>
        WOOVI_KEY_TYPES[type] === order.type && normalizePixKey(key) === (order.key ?? normalizePixKey(key))
          ? { key }
          : undefined,
      )
      return isDuplicate(outcome) ? resolveExistingKey(order) : toCreateKeyOutcome(outcome)
    },
    listKeys,
    async deleteKey(key) {
      const path = encodePath`/api/v1/pix-keys/${key}`
      const call = { call: 'deleteKey', method: 'DELETE', path } as const
      return toDeleteKeyOutcome(await client.send(call, ANY_ANSWER, () => ({})))
    },
  }

  async function listKeys() {
    const outcome = await client.readAllPages({
      call: 'listKeys',
      path: '/api/v1/pix-keys',
      field: 'pixKeys',
      row: wooviPixKeySchema,
      keyOf: ({ key }) => key,
      toItem: ({ key, type }) => ({ key, type: WOOVI_KEY_TYPES[type] }),
    })
    if (outcome.kind === 'no_answer') return outcome
    return { kind: 'found' as const, keys: outcome.items }
  }

  /** Looks for an existing key in the account: created if it is ours, otherwise rejected as another account's. */
  async function resolveExistingKey({ key }: ProviderKeyRequest): Promise<CreateKeyOutcome> {
    const list = await listKeys()
    if (list.kind === 'no_answer') return { ...list, kind: 'unknown' }
    const ownKey = list.keys.find(item => item.key === key)
    return ownKey ? { kind: 'created', key: ownKey.key } : keyOfAnotherAccount
  }
}

/** Builds the request of a key by Woovi's type of it; undefined for a CPF key, which Woovi's API does not create. */
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
  "The provider's API does not create CPF keys",
)
const keyOfAnotherAccount = {
  kind: 'rejected',
  finality: 'final',
  code: 'key_already_registered',
  message: 'The key belongs to another account',
} as const

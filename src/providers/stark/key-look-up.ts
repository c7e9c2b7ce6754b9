import { toLookUpKeyOutcome } from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { KeyLookUpCalls } from '../port.ts'
import type { StarkClient } from './client.ts'
import { mapKeyOwner } from './mapping.ts'
import { oneStarkEntity, starkDictKeySchema } from './schemas.ts'

/** Creates the look-up of any key's owner. Stark Bank tells no budget, and binds no payment to a look-up. */
export function createStarkKeyLookUp(client: StarkClient): Required<Pick<KeyLookUpCalls, 'lookUpKey'>> {
  return {
    async lookUpKey(key) {
      const call = { call: 'lookUpKey', path: encodePath`/v2/dict-key/${key}` } as const
      const outcome = await client.lookUp(call, oneStarkEntity('key', starkDictKeySchema), owner =>
        owner.name && owner.taxId ? { owner: mapKeyOwner(owner) } : undefined,
      )
      return toLookUpKeyOutcome(outcome)
    },
  }
}

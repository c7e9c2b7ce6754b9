import type { EntityManager } from '../../../db/client/orm.ts'
import type { Connection } from '../../../db/entities/connection.ts'
import type { PixKeyType } from '../../../domain/pix-keys/pix-key.ts'
import { PROVIDER_CAPABILITIES } from '../../../domain/providers/provider.ts'
import { fail, failField } from '../../../http/api-error.ts'
import type { FieldMessage } from '../../../http/field-message.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { requireUnpausedConnections } from '../../routing/pause-check.ts'
import {
  collectProviderErrors,
  findCandidates,
  type InvalidBodyRequest,
} from '../../routing/provider-candidates.ts'

export type PixKeyProviderRequest = { token: CallerToken; providerUuid: string | undefined; type: PixKeyType }

/** Chooses the connection that registers a key: the token's, else the named one, else the first of the defaults. */
export async function choosePixKeyProvider(em: EntityManager, { type, ...wanted }: PixKeyProviderRequest) {
  const [first] = await findCandidates(em, wanted)
  const why = unsuitableReason(first!, type)
  if (why === 'pool') failField('provider_uuid', describePool(first!))
  if (why === 'unsupported')
    fail('key_not_supported', { errors: { type: [describeUnsupportedType(first!, type)] } })
  return first!
}

/** Fails where no provider can register such a key, so that no code is sent in vain; POST /pix-keys chooses one. */
export async function requirePixKeyProvider(em: EntityManager, { type, ...wanted }: PixKeyProviderRequest) {
  const capable = (await findCandidates(em, wanted)).filter(one => unsuitableReason(one, type) === null)
  if (capable.length === 0) await choosePixKeyProvider(em, { type, ...wanted })
  else requireUnpausedConnections(capable, 'in')
}

/** Collects the provider errors of a body that its schema has rejected, so that all errors are sent at once. */
export function collectPixKeyProviderErrors(request: InvalidBodyRequest) {
  return collectProviderErrors(request, ([first]) => collectPoolErrors([first!]))
}

/** Collects the provider errors of a rejected code request, for which any default is enough. */
export function collectCodeProviderErrors(request: InvalidBodyRequest) {
  return collectProviderErrors(request, collectPoolErrors)
}

function collectPoolErrors(connections: Connection[]): FieldErrors {
  const errors: FieldErrors = {}
  if (connections.every(isPool)) errors.provider_uuid = [describePool(connections[0]!)]
  return errors
}

function isPool({ type }: Connection): boolean {
  return type !== 'NOMINAL'
}

function unsuitableReason(connection: Connection, type: PixKeyType): 'pool' | 'unsupported' | null {
  if (isPool(connection)) return 'pool'
  return PROVIDER_CAPABILITIES[connection.dialect].creatableKeyTypes.includes(type) ? null : 'unsupported'
}

function describePool({ provider }: Connection): FieldMessage {
  return {
    text: "must be a NOMINAL provider: {provider} is a POOL, whose account is the service's",
    gaps: { provider },
  }
}

export function describeUnsupportedType({ provider, dialect }: Connection, type: PixKeyType): FieldMessage {
  const capable = PROVIDER_CAPABILITIES[dialect].creatableKeyTypes.filter(one => one !== type)
  return {
    text: '{provider} does not support {type} keys for this account; it supports {types}',
    gaps: { provider, type, types: capable.join(', ') },
  }
}

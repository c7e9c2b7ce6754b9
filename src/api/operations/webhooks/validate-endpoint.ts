import { fail } from '../../../http/api-error.ts'
import { createAddressPolicy } from '../../../webhook-client/address-policy.ts'
import {
  type EndpointInspection,
  type EndpointInspectionOptions,
  inspectEndpoint,
} from '../../../webhook-client/endpoint-inspection.ts'
import { isUsableSigningSecret } from '../../../webhook-client/signature.ts'

export type EndpointInspector = (url: string) => Promise<EndpointInspection>

export function createEndpointInspector(
  config: { loopbackWebhooks: boolean },
  options: EndpointInspectionOptions = {},
): EndpointInspector {
  const policy = createAddressPolicy({ canReachLoopback: config.loopbackWebhooks })
  return url => inspectEndpoint(url, policy, options)
}

const INVALID_SECRET_MESSAGE = 'must not be empty, and after whsec_ must be proper base64'

type EndpointInput = { url?: unknown; token?: unknown }

/** Validates URL and secret of an endpoint, as far as either is given; fails with 422 and all errors. */
export async function requireUsableEndpoint(endpoint: EndpointInput, inspect: EndpointInspector) {
  const errors = await collectEndpointErrors(endpoint, inspect)
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. */
export async function collectEndpointErrors({ url, token }: EndpointInput, inspect: EndpointInspector) {
  const endpoint = typeof url === 'string' ? await inspect(url) : null
  return {
    ...(endpoint?.kind === 'refused' && { url: [endpoint.message] }),
    ...(typeof token === 'string' && !isUsableSigningSecret(token) && { token: [INVALID_SECRET_MESSAGE] }),
  }
}

import { addressPolicy } from '../../webhooks/addresses.ts'
import { type Inspection, type InspectionOptions, inspectEndpoint } from '../../webhooks/endpoint.ts'
import { isUsableSecret } from '../../webhooks/signature.ts'
import type { FieldErrors } from '../check.ts'
import { refuse } from '../errors.ts'

/** Looks at a URL before it is stored or enabled: SPEC §8. */
export type Inspect = (url: string) => Promise<Inspection>

/** As the configuration lets addresses be. */
export function inspector(config: { loopbackWebhooks: boolean }, options: InspectionOptions = {}): Inspect {
  const policy = addressPolicy({ loopback: config.loopbackWebhooks })
  return url => inspectEndpoint(url, policy, options)
}

const UNUSABLE_TOKEN = 'must not be empty, and after whsec_ must be proper base64'

type Given = { url?: unknown; token?: unknown }

/** Whether webhooks can be sent to a URL and signed with a token, as far as either is given; 422 with all that is wrong. */
export async function requireUsable(given: Given, inspect: Inspect): Promise<void> {
  const errors = await unusable(given, inspect)
  if (Object.keys(errors).length > 0) refuse('validation_failed', { errors })
}

/** The same of a body that its schema has refused already, as far as it can be read: all is said at once. */
export async function unusable({ url, token }: Given, inspect: Inspect): Promise<FieldErrors> {
  const endpoint = typeof url === 'string' ? await inspect(url) : null
  return {
    ...(endpoint?.kind === 'refused' && { url: [endpoint.message] }),
    ...(typeof token === 'string' && !isUsableSecret(token) && { token: [UNUSABLE_TOKEN] }),
  }
}

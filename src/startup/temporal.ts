import { StartupRefusal } from '../domain/errors/startup-refusal.ts'

/** gRPC status codes: not found, permission denied, unimplemented, unauthenticated. */
const [NOT_FOUND, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED] = [5, 7, 12, 16]

/** Classifies an error of `describeNamespace`: `StartupRefusal` for a wrong setting, undefined if waiting may help. */
export function classifyTemporalError(error: unknown): StartupRefusal | undefined {
  switch (Object(error).code) {
    case NOT_FOUND:
      return new StartupRefusal(
        'TEMPORAL_NAMESPACE names a namespace that the Temporal server does not have: correct it or run `trilho prepare-temporal`',
      )
    case PERMISSION_DENIED:
    case UNAUTHENTICATED:
      return new StartupRefusal(
        'The Temporal server at TEMPORAL_ADDRESS does not let this process use TEMPORAL_NAMESPACE: correct the address, the namespace, or TEMPORAL_API_KEY and the client certificate',
      )
    case UNIMPLEMENTED:
      return new StartupRefusal(
        'The server at TEMPORAL_ADDRESS is not a Temporal server: correct the address and the port',
      )
    default:
      return undefined
  }
}

/**
 * Scopes of API tokens. An operation declares one scope (`scope` of its route). A token with that scope may call it; a GET is
 * also allowed by `read`, so that a token which creates a resource can read what became of it.
 */
export const TOKEN_SCOPES = ['read', 'charges', 'transfers', 'refunds', 'webhooks'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** Lists the scopes of which any one allows an operation. */
export function listAllowingScopes({ method, scope }: { method: string; scope: TokenScope }): TokenScope[] {
  return method === 'get' && scope !== 'read' ? ['read', scope] : [scope]
}

/**
 * The account at the provider that credentials belong to. `id`: its own id of the account, so that another id is
 * another account. `keys`: where it publishes no id, the account's random PIX keys. DICT passes no random key from one
 * account to another, so one in common proves the same account; none in common proves nothing, as keys can be removed.
 */
export type AccountIdentity = { kind: 'found'; id: string } | { kind: 'found'; keys: string[] }

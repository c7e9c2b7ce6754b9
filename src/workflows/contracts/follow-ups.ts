/** Follow-ups of a transaction: the deliveries and returns whose workflows are to be started after it. */
export type FollowUps = { deliveries: string[]; returns: { uuid: string; connectionUuid: string }[] }

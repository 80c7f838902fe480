/**
 * What is stored and what is handed out cannot be changed by anybody: it is frozen, all the way down. Cheaper than a copy
 * for every reader, and whoever tries to change it fails at once.
 */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key in value) freeze(value[key])
  return value
}

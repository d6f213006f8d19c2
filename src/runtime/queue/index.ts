export { ExponentialBackoff } from './rate-limiter.ts';
export type { ExponentialBackoffOptions, RateLimiter } from './rate-limiter.ts';
export { MaxOf, TokenBucket } from './token-bucket.ts';
export type { TokenBucketOptions } from './token-bucket.ts';
export { DrainTimeoutError } from './types.ts';
export type { AddOptions, DrainOptions, QueueItem, WorkQueueObserver, WorkQueueOptions } from './types.ts';
export { WorkQueue } from './work-queue.ts';

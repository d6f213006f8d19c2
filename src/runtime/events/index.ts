export type { EventNote, EventRecorder } from './event.ts';

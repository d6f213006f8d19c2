export interface MarkersFlags {
  readonly format: 'text' | 'json';
}

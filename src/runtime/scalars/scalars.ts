/** A whole number of any size: `integer` without a format. */
export type integer = number;

/** A whole number of 32 bits: `integer`, format `int32`. */
export type int32 = number;

/** A whole number of 64 bits: `integer`, format `int64`. Values beyond 2^53 - 1 are not exact as JavaScript numbers. */
export type int64 = number;

/** A number of single precision: `number`, format `float`. */
export type float = number;

/** A number of double precision: `number`, format `double`. */
export type double = number;

/** An amount as Kubernetes writes it (`500m`, `1Gi`, `2`): `resource.Quantity`. */
export type Quantity = string | number;

/** A number or a text (`80`, `50%`, `http`): `intstr.IntOrString`. */
export type IntOrString = number | string;

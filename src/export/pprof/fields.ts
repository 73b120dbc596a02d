/**
 * The fields of pprof's messages, as numbered in its proto/profile.proto.
 */
export const ProfileField = {
  SampleType: 1,
  Sample: 2,
  Mapping: 3,
  Location: 4,
  Function: 5,
  StringTable: 6,
  TimeNanos: 9,
  DurationNanos: 10,
  Comment: 13,
  DefaultSampleType: 14,
} as const;

export const ValueTypeField = { Type: 1, Unit: 2 } as const;
export const SampleField = { LocationId: 1, Value: 2, Label: 3 } as const;
export const LabelField = { Key: 1, Str: 2, Num: 3 } as const;
export const MappingField = { Id: 1, Filename: 5, HasFunctions: 7, HasFilenames: 8, HasLineNumbers: 9 } as const;
export const LocationField = { Id: 1, MappingId: 2, Line: 4 } as const;
export const LineField = { FunctionId: 1, Line: 2 } as const;
export const FunctionField = { Id: 1, Name: 2, Filename: 4, StartLine: 5 } as const;

"""What allows the oddities of the variants: sentences of the document, and places where it is silent.

A sentence allows an oddity itself, or says that it does not show what would forbid it. A silence names the
words that could have said it, and what they do not say. Nothing here is a rule, and no verdict rests on it.
"""

from typing import Final

from conformance.mutants.model import Allowed

# fmt: off
MAKER: Final = Allowed(3, "The segment Vendor stands in for the maker's name throughout.")
COMMON_KEYS: Final = Allowed(3, "Keys that begin with the segment Vendor are common to all appliance kinds.")
HA_ID: Final = Allowed(8,
    "The appliance is addressed by the path parameter {haId}, the identifier of the home appliance.",
    "how a haId looks")
ONE_APPLIANCE: Final = Allowed(7, "The service exposes, per home appliance, a set of settings",
    "that one appliance has one haId, or that two of them differ")
DEVICE_ACTS: Final = Allowed(7, "a set of settings (configurable properties)",
    "that nothing but a write changes a setting, or that a write changes nothing else")
REFUSED_WRITE: Final = Allowed(7, "a set of settings (configurable properties)",
    "that every write is taken at any time")
READ_ALONE: Final = Allowed(10,
    "Each setting or status can be read individually with a GET request on its key.",
    "that every GET is answered with a value, whatever the state of the appliance")
SAME_TWICE: Final = Allowed(10,
    "Each setting or status can be read individually with a GET request on its key.",
    "that two reads show the same value")
SUPPORT: Final = Allowed(11, "Support differs per appliance.")
KINDS: Final = Allowed(11,
    "Many entries are supported only by some appliances, such as a coffee maker, refrigerator, hood, "
    "washer or cleaning robot.",
    "that an entry is of one kind of appliance alone, or which kinds there are")
DESCRIPTION: Final = Allowed(21, "Human-readable explanation", "in which language and form")
NUMBERS: Final = Allowed(22, "one of Enumeration, Boolean, Integer, Double, Float, String",
    "how a number is written")
TAKES_MORE: Final = Allowed(22, "one of Enumeration, Boolean, Integer, Double, Float, String",
    "what becomes of a written value of another type, as long as the setting keeps its own")
ALLOWED_VALUES: Final = Allowed(23, "enumeration keys, true/false, or a numeric range",
    "that values which are allowed can all be chosen now")
BEYOND: Final = Allowed(23, "enumeration keys, true/false, or a numeric range",
    "what becomes of a written value beyond its range, as long as the setting stays within")
STEPS: Final = Allowed(23, "enumeration keys, true/false, or a numeric range",
    "which steps a range has, or how a value is rounded to them")
FIELDS: Final = Allowed(25, "Response body field names: not shown.")
AVAILABILITY: Final = Allowed(26, "Availability information that is listed for enumerations: not shown.")
ENUM_KEY: Final = Allowed(28, "An enumeration value is identified by its own key, listed below.",
    "what becomes of a written text that is no such key, as long as the setting shows one")
OWN_RANGE: Final = Allowed(29,
    "For settings without a common value range, the range is obtained by requesting the specific setting.",
    "that a range is wider than its value, or stays as it is")
WHEN_SHOWN: Final = Allowed(33, "A setting describes a property of the appliance.",
    "how soon a write shows, or what is shown until then")
UNIT_ABSENT: Final = Allowed(38, "When the setting is not returned, the unit is Celsius.")
VOLUME_ABSENT: Final = Allowed(39, "When the setting is not returned, the unit is milliliter.")
VOLUME_MOMENT: Final = Allowed(39, "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter (ml)",
    "that a change of the unit shows at once")
UNIT_WORDS: Final = Allowed(25, "Response body field names: not shown.",
    "that an answer names a unit, or in which words")
UNIT_MOVES: Final = Allowed(43, "per appliance, e.g. 2 to 8 °C or 39 to 44 °F",
    "how a setpoint and its range are converted when the unit changes")
CHILD_LOCK: Final = Allowed(40, "Child lock state", "what cannot be written while it is on, or who lifts it")
ALARM_CLOCK: Final = Allowed(41, "Sets the alarm clock", "that it shows what was set, and not what is left")
ALARM_ENDS: Final = Allowed(41, "0 to 38340 seconds")
EXAMPLES: Final = Allowed(43, "per appliance, e.g. 2 to 8 °C or 39 to 44 °F")
SUPER_MODE: Final = Allowed(48,
    "until disabled by the customer or by the appliance on a timeout; setpoints unchanged",
    "after which time, or that a range stays as it is")
ECO: Final = Allowed(50, "Higher temperatures, less cooling capacity", "whether the setpoints show that")
SABBATH: Final = Allowed(51, "Deactivates functions such as lighting and acoustic signals",
    "whether the light then reads as off, or what can be written")
VACATION: Final = Allowed(52, "Refrigerator temperature switches to +14 °C; freezer follows its setting",
    "whether the setpoint shows that, or what can be written meanwhile")
FRESH: Final = Allowed(53, "Refrigerator set automatically to 2 °C; freezer unchanged",
    "whether the setpoint shows that")
MODES: Final = Allowed(50, "Higher temperatures, less cooling capacity", "which modes may be on together")
ASSISTANT: Final = Allowed(57, "range and unit: not shown")
MAPS: Final = Allowed(59, "Currently selected map",
    "that every map can be selected, or that selecting one moves nothing else")
MAP_NAMES: Final = Allowed(60, "text; constraints: not shown")
PERCENT_ENDS: Final = Allowed(64, "10 to 100 %")
FRACTIONS: Final = Allowed(61, "0 to 100 %", "that a percentage is whole")
LIGHT: Final = Allowed(62, "External / internal light of cooling devices",
    "what brightness and colour show, or take, while a light is off, or which of them moves another")
PERCENT_USABLE: Final = Allowed(65,
    "Usable only when the ColorTemperature setting, if supported, is set to custom",
    "what a read shows while it is not usable, or how a write is refused")
AMBIENT_LOCKED: Final = Allowed(68, "Cannot be set while the ambient light color is CustomColor",
    "what a read shows meanwhile, or how a write is refused")
CUSTOM_LOCKED: Final = Allowed(70, "Can be set only while the ambient light color is CustomColor",
    "what a read shows otherwise, or how a write is refused")
CUSTOM_COLOR: Final = Allowed(70, "color string format: not shown")
OFF: Final = Allowed(78, "Appliance is off; can be switched on by writing the On value",
    "what else can be read or written of an appliance that is off")
STANDBY: Final = Allowed(80, "Appliance is in standby; can be switched on or off by changing this setting",
    "what else can be read or written of an appliance in standby")
POWER_STATES: Final = Allowed(79,
    "Appliance is on; can be switched off by writing Off or Standby, depending on the appliance")
STATUS_WRITES: Final = Allowed(84, "A status is a state reported by the appliance.",
    "how an attempt to write one is answered")
REMOTE_CONTROL: Final = Allowed(88, "Whether remote control is allowed", "what a write does while it is not")
REMOTE_START: Final = Allowed(89,
    "Can become false by a programmatic change (only disabling), by the user locally, or automatically "
    "after a duration, usually 24 hours")
LOCAL_CONTROL: Final = Allowed(90, "Set when the user operates the appliance (door, button)",
    "what a write does meanwhile, or what else sets it")
DOOR: Final = Allowed(92, "Changes by local user action or automatically (e.g. locking)")
COUNTERS: Final = Allowed(99, "Not every counter is supported by every coffee machine.")
COUNT: Final = Allowed(99, "count", "how large a count may be")
HOT_WATER: Final = Allowed(99, "BeverageCounterHotWater is the quantity of heated water in ml.",
    "in which unit it is shown while LiquidVolumeUnit names another one")
CHARGING: Final = Allowed(102, "(not connected to docking station)",
    "that charging and connection go together")
CAMERA: Final = Allowed(103, "Returned only by appliances with a streaming camera",
    "that every such appliance returns it")
POWER_MOVES: Final = Allowed(125, "The power state (setting) moves by writes:",
    "how soon, over which states, or that it never moves otherwise")
IF_SUPPORTED: Final = Allowed(130, "only if the appliance supports it")
UNLISTED_MOVE: Final = Allowed(127, "State | Trigger | Condition | Next state | Other effects",
    "what a power write does that no row of this table lists")
POWER_EFFECTS: Final = Allowed(129, "none stated", "that a power write moves nothing else")
OPERATION: Final = Allowed(135, "Operation state transitions: not shown.")
TRANSITIONS: Final = Allowed(136,
    "Transitions of the other enumerations (door, camera, charging, maps and so on): not shown.")
BASE_ADDRESS: Final = Allowed(142, "Base address: {base_url}.")
TRANSPORT: Final = Allowed(142, "Base address: {base_url}.",
    "how HTTP is spoken there, such as redirects, lost connections and encodings")
KEY_OF_THE_TABLE: Final = Allowed(146,
    "path parameters haId (string) and settingKey (a setting key from the table)",
    "what any other path, spelling or method is answered")
BODY_SHAPE: Final = Allowed(146, "body shape is not shown here")
STATUS_SHAPE: Final = Allowed(147, "body shape is not shown here")
SEGMENT: Final = Allowed(149, "Which segment is authoritative for them is not shown.")
OTHER_SEGMENT: Final = Allowed(147, "path parameters haId and statusKey (a status key from the table)",
    "that an entry is not answered under the other segment as well")
PAYLOADS: Final = Allowed(150, "Request and response payload shapes: not shown.")
WRITES_AND_LISTS: Final = Allowed(151,
    "Method and path for writing a setting value, and for listing all settings or statuses: not shown.")
AUTHENTICATION: Final = Allowed(155, "Authentication: not shown.")
ERRORS: Final = Allowed(163, "Error codes, status codes and error bodies: not shown.")
RATE: Final = Allowed(177, "Rate limits and request size limits: not shown.")
VERSIONS: Final = Allowed(181, "Versioning scheme: not shown.")
